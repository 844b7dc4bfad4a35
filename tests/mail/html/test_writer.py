from mailmcp.mail.html.writer import TextWriter


def test_white_space_is_one_space() -> None:
    writer = TextWriter()
    for text in ("  a \n b", "c ", " d\xa0 e", "\t"):
        writer.write(text)
    assert writer.finish() == ["a bc d e"]


def test_breaks_at_the_ends_write_nothing_and_blank_lines_do_not_add_up() -> None:
    writer = TextWriter()
    writer.break_line(2)
    writer.write("a")
    writer.break_line(2)
    writer.break_line(2)
    writer.line_feed()
    writer.write("b")
    writer.break_line()
    writer.write("c")
    writer.break_line(2)
    assert writer.finish() == ["a", "", "b", "c"]


def test_line_feeds_leave_one_blank_line() -> None:
    writer = TextWriter()
    writer.write("a")
    writer.line_feed()
    writer.write("b")
    for _ in range(4):
        writer.line_feed()
    writer.write("c")
    assert writer.finish() == ["a", "b", "", "c"]


def test_preformatted_text_keeps_its_spaces() -> None:
    writer = TextWriter()
    writer.write_preformatted("  a\r\n\n\n    b\n")
    writer.write("c")
    assert writer.finish() == ["  a", "", "    b", "c"]


def test_marks_stand_before_the_first_line_and_room_before_the_rest() -> None:
    writer = TextWriter()
    writer.push_prefix("- ", "  ")
    writer.break_line(2)
    writer.write("a")
    writer.break_line(2)
    writer.write("b")
    writer.pop_prefix()
    writer.tighten()
    writer.write("c")
    assert writer.finish() == ["- a", "", "  b", "c"]


def test_blank_lines_between_quotes_are_quoted_as_far_as_both_are() -> None:
    writer = TextWriter()
    writer.push_prefix("> ", "> ")
    writer.write("a")
    writer.break_line(2)
    writer.push_prefix("> ", "> ")
    writer.write("b")
    writer.pop_prefix()
    writer.pop_prefix()
    writer.break_line(2)
    writer.write("c")
    assert writer.finish() == ["> a", ">", "> > b", "", "c"]


def test_finished_lines_are_taken_over() -> None:
    inner = ["a", "", "b"]
    plain, quoted = TextWriter(), TextWriter()
    plain.write("x")
    plain.append_lines(inner)
    plain.append_lines([])
    plain.write("y")
    quoted.push_prefix("> ", "> ")
    quoted.append_lines(inner)
    assert plain.finish() == ["x", "a", "", "b", "y"]
    assert quoted.finish() == ["> a", ">", "> b"]


def test_deep_prefixes_do_not_fill_the_line() -> None:
    writer = TextWriter()
    for _ in range(100):
        writer.push_prefix("> ", "> ")
    writer.write("a")
    assert writer.finish() == ["> " * 12 + "a"]
