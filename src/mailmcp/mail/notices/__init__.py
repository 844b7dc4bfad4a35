"""What programs tell by mail: invitations, delivery reports, receipts."""
