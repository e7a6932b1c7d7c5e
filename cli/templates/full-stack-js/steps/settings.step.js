import { http, step } from 'treadle';
import { z } from 'zod';

const { STREAM_PORT = '3112', STREAM_URL = `ws://127.0.0.1:${STREAM_PORT}` } = process.env;

/** GET /settings tells the page where the streams are. Behind a proxy: STREAM_URL=wss://streams.example.com */
export default step(
  {
    name: 'Settings',
    description: 'Tells the page where the streams are.',
    triggers: [http('GET', '/settings', { responseSchema: { 200: z.object({ streamUrl: z.url() }) } })],
    flows: ['tasks'],
  },
  async () => ({ status: 200, body: { streamUrl: STREAM_URL } }),
);
