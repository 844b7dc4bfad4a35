// The TypeScript client 2.x: `legacy` or `modern` comes first, then the command.
// See ts_calls.mjs for what goes in and out.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { driveClient } from "./ts_calls.mjs";

const MODES = { legacy: "legacy", modern: { pin: "2026-07-28" } };

const [era, command, ...args] = process.argv.slice(2);
const client = new Client(
  { name: "mailmcp-tests", version: "1" },
  { versionNegotiation: { mode: MODES[era] } },
);
await client.connect(new StdioClientTransport({ command, args, stderr: "inherit" }));
await driveClient(client, client.getNegotiatedProtocolVersion());
