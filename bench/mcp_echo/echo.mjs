// An MCP server on the TypeScript SDK that does the least a tool can do: it checks its argument
// against a schema and gives it back, as text and as structured content. The benchmark measures
// `teamster mcp` against it.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'echo', version: '1.0.0' });
const shape = { text: z.string() };
server.registerTool(
  'echo',
  { title: 'Echo', description: 'Gives its argument back', inputSchema: shape, outputSchema: shape },
  async ({ text }) => ({ content: [{ type: 'text', text: JSON.stringify({ text }) }], structuredContent: { text } }),
);
await server.connect(new StdioServerTransport());
