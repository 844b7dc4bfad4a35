// The TypeScript client of SDK 1.x, with its defaults: see ts_calls.mjs for what goes in and out.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { driveClient } from "./ts_calls.mjs";

const [command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args, stderr: "inherit" });
let version;
transport.setProtocolVersion = (negotiated) => {
  version = negotiated; // the client tells its transport, and nobody else
};
const client = new Client({ name: "mailmcp-tests", version: "1" });
await client.connect(transport);
await driveClient(client, version);
