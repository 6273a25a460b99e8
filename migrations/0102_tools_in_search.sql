-- Search finds MCP agents by their tools (ADR 0268): the words of the tools that the server of a version lists.

-- migrate:up

CREATE TABLE version_tools (
  version_id  text PRIMARY KEY REFERENCES agent_versions,
  names       text NOT NULL CHECK (length(names) <= 8000),
  texts       text NOT NULL CHECK (length(texts) <= 16000),
  listed_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE version_tools IS 'What search compares of the tools that the MCP server of a version lists';
COMMENT ON COLUMN version_tools.names IS 'Names and titles';
COMMENT ON COLUMN version_tools.texts IS 'Descriptions of tools, and names, titles and descriptions of properties of their schemas';
COMMENT ON COLUMN version_tools.listed_at IS 'When verification first saw these words';
CREATE TRIGGER version_tools_follow AFTER INSERT OR UPDATE ON version_tools
  FOR EACH ROW EXECUTE FUNCTION version_tools_follow();

GRANT SELECT, INSERT, UPDATE (names, texts, listed_at) ON version_tools TO market_app;

-- migrate:down

DROP TABLE IF EXISTS version_tools;
