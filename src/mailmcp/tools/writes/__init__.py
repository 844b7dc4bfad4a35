"""What all tools that write share: the journal, and the loop that carries out orders."""
