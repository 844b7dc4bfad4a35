"""What is said in the conversations of the sample account.

Only the words: `mailmcp.demo.sample.threads` makes messages of them.
"""

from dataclasses import dataclass
from email.headerregistry import Address
from typing import Final

from mailmcp.demo.sample.people import (
    BOARDS,
    ELENA,
    GRUEN,
    HAYES,
    JONAS,
    LUCAS,
    OWNER,
    PRIYA,
    SATO,
    TOM,
)

VISIT_IN_DAYS: Final = 9
"""The visit to the observatory, of which tickets and letters speak."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    speaker: Address
    hours_later: float
    """Since the turn before; 0 for the first."""

    text: str
    """With ``@VISIT@`` where the day of the visit goes."""

    renamed: str = ""
    """The subject from here on; "" to keep it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """People answering one another under one subject."""

    subject: str
    mailbox: str
    """Where the others' messages are; the owner's are in Sent."""

    ended_hours_ago: float
    turns: tuple[Turn, ...]
    cc: tuple[Address, ...] = ()


CONVERSATIONS: Final = (
    Conversation(
        subject="Sensor drift on the coastal stations",
        mailbox="INBOX",
        ended_hours_ago=1.5,
        cc=(PRIYA,),
        turns=(
            Turn(
                JONAS,
                0,
                "Hi Mara,\n\nthree of the five coastal stations read 0.8 to 1.1 K too warm since the weekend:"
                " ST-114, ST-117 and ST-121. The inland ones are fine. All three have the new radiation"
                " shield, so I suspect the coating.\n\nCould we hold the next batch until I have looked at"
                " one in the chamber?\n\nJonas",
            ),
            Turn(
                OWNER,
                2.2,
                "Hi Jonas,\n\nyes, hold it. 40 shields are at the dock, I will ask Tom not to ship them."
                "\n\nCan you get me the chamber result by Thursday? The customer call is on Friday at 10:00."
                "\n\nMara",
            ),
            Turn(
                PRIYA,
                19,
                "One more data point: ST-117 was fine until the firmware update on Saturday (2.4.1). ST-114"
                " and ST-121 were updated the same night. So it could be the new averaging and not the"
                " coating at all.\n\nI can roll ST-117 back to 2.4.0 remotely and we compare.\n\nPriya",
            ),
            Turn(OWNER, 0.6, "Please do, just ST-117. Let the other two run so that we can compare.\n\nMara"),
            Turn(
                PRIYA,
                26,
                "Rolled back at 08:40. ST-117 is back within 0.1 K of the reference; the other two still"
                " read 0.9 K high. It is the firmware: the averaging drops the negative samples.\n\n"
                "Fix is in review, build 2.4.2 could be ready tonight. OK to release to all five?\n\nPriya",
            ),
        ),
    ),
    Conversation(
        subject="Quote for 250 main boards, rev C",
        mailbox="INBOX",
        ended_hours_ago=27,
        turns=(
            Turn(
                OWNER,
                0,
                "Hello,\n\ncould you quote 250 pieces of our main board rev C (files as for order 7731, the"
                " only change is R12 to 4k7)? We would need 100 by the end of next month, the rest four"
                " weeks later.\n\nKind regards\nMara Lindqvist",
            ),
            Turn(
                BOARDS,
                22,
                "Dear Ms Lindqvist,\n\nthank you for your enquiry.\n\n  250 pcs   18.40 EUR each   4,600.00"
                " EUR\n  Stencil and set-up             310.00 EUR\n  Lead time 100 pcs: 24 working days\n\n"
                "Prices without VAT, valid for 14 days.\n\nBest regards\nHanna Brandt\nCalder Boards",
            ),
            Turn(
                OWNER,
                5,
                "Dear Ms Brandt,\n\nthank you. For order 7731 there was no set-up charge since the stencil"
                " was kept. Is that a mistake?\n\nKind regards\nMara Lindqvist",
            ),
            Turn(
                BOARDS,
                18,
                "Dear Ms Lindqvist,\n\nyou are right, the stencil of rev B fits. I have taken the charge"
                " out: 4,600.00 EUR in total. We would reserve the capacity if you confirm by Friday.\n\n"
                "Best regards\nHanna Brandt",
            ),
        ),
    ),
    Conversation(
        subject="Visit to the Eastwold observatory",
        mailbox="INBOX",
        ended_hours_ago=52,
        cc=(TOM,),
        turns=(
            Turn(
                HAYES,
                0,
                "Dear Mara,\n\nwe would be glad to have you and Tom here to see the mast before the"
                " equipment goes up. Would @VISIT@ suit you? There is a train at 9:12 that"
                " arrives well before lunch.\n\nBring boots.\n\nCaroline Hayes\nEastwold Observatory",
            ),
            Turn(OWNER, 3, "Dear Caroline,\n\n@VISIT@ is fine for both of us. We have boots.\n\nBest\nMara"),
            Turn(
                HAYES,
                41,
                "Wonderful, @VISIT@ it is. I will meet you at the station. Note that there is no mobile"
                " reception on the hill: my landline is +44 1632 960 417.\n\nCaroline",
            ),
        ),
    ),
    Conversation(
        subject="Apollo: scope of the spring release",
        mailbox="Projects/Apollo",
        ended_hours_ago=75,
        cc=(ELENA, JONAS),
        turns=(
            Turn(
                ELENA,
                0,
                "All,\n\nmy list for the spring release:\n\n- solar charging below 5 degrees (must)\n- data"
                " export as CSV (must)\n- snow depth (would be nice)\n- new enclosure (no)\n\nPlease shout"
                " before Wednesday.\n\nElena",
            ),
            Turn(
                JONAS,
                4,
                "Snow depth is four weeks of work on its own, and the sensor is not even"
                " chosen. I would take it out.\n\nJonas",
            ),
            Turn(
                OWNER,
                1,
                "Agreed: snow depth goes to autumn. I would add one: a way to read out the last 30 days"
                " over the service port, because Eastwold has no reception on the hill.\n\nMara",
            ),
            Turn(PRIYA, 20, "Service port read-out: two days. I take it.\n\nPriya"),
            Turn(
                ELENA,
                3,
                "Then it is settled: charging, CSV, service port. Code freeze on the 28th,"
                " no exceptions this time.\n\nElena",
            ),
        ),
    ),
    Conversation(
        subject="Gartenwetter: Angebot für die Schule",
        mailbox="Projects/Grün",
        ended_hours_ago=1200,
        turns=(
            Turn(
                GRUEN,
                0,
                "Liebe Frau Lindqvist,\n\nunsere Schülerinnen und Schüler möchten im Frühjahr eine"
                " Wetterstation im Schulgarten aufstellen. Gibt es ein Gerät, das robust genug für die"
                " fünfte Klasse ist? Unser Budget liegt bei 600 €.\n\nHerzliche Grüße\nKäthe Grün",
            ),
            Turn(
                OWNER,
                21,
                "Liebe Frau Grün,\n\ndas machen wir gern: Wir geben Ihnen ein Vorführgerät für 480 €"
                " einschließlich Mast. Es hat ein paar Kratzer, misst aber einwandfrei.\n\n"
                "Viele Grüße\nMara Lindqvist",
            ),
            Turn(
                GRUEN,
                7,
                "Das ist ja großartig, vielen Dank! Die Klasse hat schon über den Namen abgestimmt:"
                " Sie heißt „Wolke 7“.\n\nHerzliche Grüße\nKäthe Grün",
            ),
        ),
    ),
    Conversation(
        subject="観測データの形式について",
        mailbox="日本語",
        ended_hours_ago=120,
        turns=(
            Turn(
                SATO,
                0,
                "リンドクヴィスト様\n\nお世話になっております。佐藤です。\n先日いただいた観測データ"
                "ですが、時刻は協定世界時でしょうか、それとも日本標準時でしょうか。"
                "\n\nよろしくお願いいたします。\n佐藤 美咲",
            ),
            Turn(
                OWNER, 9, "佐藤様\n\nデータの時刻はすべて協定世界時 (UTC) です。\n\nマーラ・リンドクヴィスト"
            ),
            Turn(
                SATO,
                15,
                "ご返信ありがとうございます。承知いたしました。\n来週、二号機の設置を始めます。\n\n佐藤 美咲",
            ),
        ),
    ),
    Conversation(
        subject="Talk at the measurement days?",
        mailbox="Archive",
        ended_hours_ago=1100,
        turns=(
            Turn(
                LUCAS,
                0,
                "Hello Mara,\n\nthe programme of the measurement days still has a free slot of 25 minutes."
                " Would you speak about low-power stations, as you did last year?\n\nLucas",
            ),
            Turn(
                OWNER,
                30,
                "Hello Lucas,\n\nthank you for asking! I cannot come this year, but"
                " Priya would like to. She writes to you directly.\n\nMara",
            ),
            Turn(LUCAS, 12, "Perfect, the slot is hers. See you next year then.\n\nLucas"),
        ),
    ),
    Conversation(
        subject="Coffee machine",
        mailbox="INBOX",
        ended_hours_ago=170,
        cc=(PRIYA, JONAS, ELENA),
        turns=(
            Turn(
                TOM,
                0,
                "The machine on the second floor is dead. Repair: 240. New one: 390. I would buy a new one"
                " out of the office budget unless somebody objects by noon.\n\nTom",
            ),
            Turn(JONAS, 0.2, "No objection. Please one that can also do tea water."),
            Turn(PRIYA, 0.1, "+1 for tea water"),
            Turn(
                OWNER,
                0.5,
                "Fine. Please put the old one on the repair café's shelf and not into the bin.",
                renamed="Old machine to the repair café (was: Coffee machine)",
            ),
            Turn(TOM, 46, "They took it. The new one stands there, makes coffee. And tea water.\n\nTom"),
        ),
    ),
)
