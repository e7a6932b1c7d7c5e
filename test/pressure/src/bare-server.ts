// A server in a process of its own that does nothing but answer `GET /health`.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from '../../support/asked-process.js';

/** What the process is asked; it answers with its URL. */
export interface BareQuestion {
  readonly type: 'listen';
}

answerQuestions<BareQuestion>(() => new Promise<string>((resolve) => {
  const server = createServer((_request, response) => response.end('{"status":"ok"}'));
  server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}));
