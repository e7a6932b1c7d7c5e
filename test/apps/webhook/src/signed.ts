import { createHmac, timingSafeEqual } from 'node:crypto';
import { HttpError, middleware } from 'treadle';

const secret = process.env['WEBHOOK_SECRET'];
if (!secret) throw new Error('WEBHOOK_SECRET is not set');

/** Lets in whoever signed the very bytes of the body: `x-signature: sha256=<hex>`. */
export const signed = middleware(async (request, _ctx, next) => {
  const expected = createHmac('sha256', secret).update(request.rawBody ?? '').digest();
  const given = Buffer.from((request.headers['x-signature'] ?? '').replace(/^sha256=/, ''), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new HttpError(401, 'the signature does not fit the body');
  return next();
});
