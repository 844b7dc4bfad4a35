from mcp_envelope import Dialect
from mcp_envelope.dialects.registry import shape_of
from mcp_envelope.dialects.shape import WireShape


def test_every_name_has_a_shape_that_answers_all_questions() -> None:
    questions = [name for name in vars(WireShape) if not name.startswith("_")]
    assert {"success", "failure", "meta_beside", "schema"} <= set(questions)
    for dialect in Dialect:
        shape = shape_of(dialect)
        assert all(callable(getattr(shape, name)) for name in questions)
        assert shape.unknown_tool_code
