import { once } from 'node:events';
import { WebSocket } from 'ws';
import { request, type Answer } from '../support/http-client.js';

export const LANGUAGES = ['ts', 'js', 'py'] as const;
export const TEMPLATES = ['basic', 'api', 'full-stack'] as const;

/** A language and a template of `treadle create`. */
export interface Combination {
  readonly language: typeof LANGUAGES[number];
  readonly template: typeof TEMPLATES[number];
}

export const ALL_COMBINATIONS: readonly Combination[] = TEMPLATES.flatMap((template) => LANGUAGES.map((language) => ({ language, template })));

/** Sends the sample request of the template's README; undefined while nobody serves it. @throws Error when the answer is wrong */
export async function sampleAnswer(url: string, { template }: Combination): Promise<Answer | undefined> {
  const sent = template === 'basic'
    ? request('GET', `${url}/hello?name=Ada`)
    : request('POST', `${url}/tasks`, { description: 'Buy milk' });
  const answer = await sent.catch(() => undefined);
  if (answer === undefined || answer.status === 404 || answer.status === 503) return undefined;
  requireSample(answer, template);
  return answer;
}

/** The page of the full-stack template, the package it loads and the stream it follows. @throws Error when one of them is not served */
export async function requirePage(url: string): Promise<void> {
  for (const [path, text] of [['/', '<html'], ['/stream-client/index.js', 'export']] as const) {
    const { status, text: body } = await request('GET', `${url}${path}`);
    if (status !== 200 || !body.includes(text)) throw new Error(`GET ${path} answered ${status}: ${body.slice(0, 200)}`);
  }
  await followed(url);
}

async function followed(url: string): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/streams`, { origin: url });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'join', data: { subscriptionId: 's', streamName: 'tasks', groupId: 'all' } }));
  const [data] = await once(socket, 'message') as [Buffer];
  socket.close();
  if (!data.toString().includes('Buy milk')) throw new Error(`the stream said ${data.toString().slice(0, 200)}`);
}

function requireSample({ status, json, text }: Answer, template: Combination['template']): void {
  const right = template === 'basic'
    ? status === 200 && (json as { message?: string }).message === 'Hello, Ada!'
    : status === 201 && (json as { description?: string }).description === 'Buy milk';
  if (!right) throw new Error(`the sample endpoint answered ${status}: ${text.slice(0, 300)}`);
}
