"""The cast of the sample account: invented people at domains that belong to nobody.

RFC 2606 keeps example.com, example.org and example.net out of the real world.
The account's owner works at Fernhill Instruments (example.com), which builds
weather stations; customers are at example.org, suppliers and services at
example.net.
"""

from email.headerregistry import Address
from typing import Final

OWNER: Final = Address("Mara Lindqvist", addr_spec="mara@example.com")

JONAS: Final = Address("Jonas Weber", addr_spec="jonas.weber@example.com")
PRIYA: Final = Address("Priya Raman", addr_spec="priya@example.com")
TOM: Final = Address("Tom Okafor", addr_spec="tom.okafor@example.com")
ELENA: Final = Address("Elena Rossi", addr_spec="elena.rossi@example.com")

HAYES: Final = Address("Hayes, Caroline", addr_spec="c.hayes@example.org")
LUCAS: Final = Address("Lucas Martin", addr_spec="lucas.martin@example.org")
SATO: Final = Address("佐藤 美咲", addr_spec="sato@example.org")
GRUEN: Final = Address("Käthe Grün", addr_spec="k.gruen@example.org")

BOARDS: Final = Address("Calder Boards Sales", addr_spec="sales@boards.example.net")
RAIL: Final = Address("Overland Rail", addr_spec="tickets@rail.example.net")
SHOP: Final = Address("Parcel & Post", addr_spec="orders@shop.example.net")
HOSTING: Final = Address("Stratus Hosting Billing", addr_spec="billing@stratus.example.net")
MONITOR: Final = Address("Watchpost", addr_spec="alerts@watchpost.example.net")
HELPDESK: Final = Address("Fernhill Support", addr_spec="support@example.com")
FORGE: Final = Address("Forge", addr_spec="notifications@forge.example.net")
LIST: Final = Address("", addr_spec="weather-dev@lists.example.org")
TEAM: Final = Address("Apollo team", addr_spec="apollo@example.com")
POSTMASTER: Final = Address("Mail Delivery System", addr_spec="mailer-daemon@mx.example.com")
