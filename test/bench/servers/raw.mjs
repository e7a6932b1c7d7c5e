import { createServer } from 'node:http';
import { HELLO, listen } from './announce.mjs';

listen(createServer((request, response) => {
  const body = JSON.stringify(HELLO);
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}));
