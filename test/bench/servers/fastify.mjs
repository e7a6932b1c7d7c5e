import Fastify from 'fastify';
import { HELLO, announce } from './announce.mjs';
import { ORDER_SCHEMA, answerTo } from './post-schema.mjs';

const app = Fastify();
app.get('/hello', async () => HELLO);
app.post('/orders', { schema: { body: ORDER_SCHEMA } }, async (request) => answerTo(request.body));
await app.listen({ port: 0, host: '127.0.0.1' });
announce(app.server.address().port);
