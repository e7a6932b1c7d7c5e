import { createServer } from 'node:http';
import { Ajv } from 'ajv';
import { listen } from './announce.mjs';
import { ORDER_SCHEMA, answerTo } from './post-schema.mjs';

const validate = new Ajv().compile(ORDER_SCHEMA);

listen(createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const order = JSON.parse(chunks.length === 1 ? chunks[0].toString() : Buffer.concat(chunks).toString());
    const valid = validate(order);
    const body = JSON.stringify(valid ? answerTo(order) : { error: 'invalid' });
    response.writeHead(valid ? 200 : 400, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
}));
