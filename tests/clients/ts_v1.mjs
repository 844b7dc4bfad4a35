// The TypeScript client of SDK 1.x, with its defaults: see ts_calls.mjs for what goes in and out.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import { driveClient } from "./ts_calls.mjs";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "mailmcp-tests", version: "1" });
await client.connect(new StdioClientTransport({ command, args, stderr: "inherit" }));
// This client knows only revisions that begin with `initialize`, and refuses any that it does not know.
await driveClient(client, LATEST_PROTOCOL_VERSION);
