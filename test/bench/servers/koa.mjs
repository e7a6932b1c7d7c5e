import { createServer } from 'node:http';
import Koa from 'koa';
import { HELLO, listen } from './announce.mjs';

const app = new Koa();
app.use((ctx) => { ctx.body = HELLO; });
listen(createServer(app.callback()));
