import { createServer } from 'node:http';
import Koa from 'koa';
import Router from '@koa/router';
import { HELLO, listen } from './announce.mjs';

const routes = Number(process.argv[2] ?? 1);
const router = new Router();
// The route under test is the last one: a linear scan shows its price.
for (let n = 1; n < routes; n++) router.get(`/route-${n}/:id`, (ctx) => { ctx.body = HELLO; });
router.get('/hello', (ctx) => { ctx.body = HELLO; });
const app = new Koa();
app.use(router.routes());
listen(createServer(app.callback()));
