import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { generateTypes } from './generate-types.fixture.js';

interface Line {
  readonly from: 'engine' | 'worker';
  readonly frame?: readonly Record<string, unknown>[];
  readonly close?: number;
}

const FIXTURES = new URL('../fixtures/', import.meta.url);
const schema = JSON.parse(readFileSync(new URL('../schemas/messages.schema.json', import.meta.url), 'utf8')) as {
  $id: string; $defs: Record<string, { properties?: Record<string, { description?: string }>; description?: string }>;
};
const ajv = new Ajv2020({ allErrors: false, strict: true });
ajv.addSchema(schema);
const validatorOf = (name: string): ValidateFunction => ajv.getSchema(`${schema.$id}#/$defs/${name}`) as ValidateFunction;
const bySender = { engine: validatorOf('EngineMessage'), worker: validatorOf('WorkerMessage') };

function lines(file: string): readonly Line[] {
  return readFileSync(new URL(file, FIXTURES), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Line);
}

const conversations = readdirSync(FIXTURES).filter((file) => file.endsWith('.jsonl'));
const golden = conversations.flatMap((file) => lines(file).flatMap(({ from, frame }) => (frame ?? []).map((message) => ({ from, message }))));

describe('protocol messages', () => {
  it('has types that were generated from the schemas', () => {
    expect(readFileSync(new URL('./messages.ts', import.meta.url), 'utf8')).to.equal(generateTypes());
  });

  for (const file of conversations) {
    it(`accepts every message of the golden conversation ${file}`, () => {
      for (const { from, frame } of lines(file)) {
        if (frame) expect(validatorOf('Frame')(frame), 'frame').to.equal(true);
        for (const message of frame ?? []) expect(bySender[from](message), JSON.stringify(message)).to.equal(true);
      }
    });
  }

  it('shows every message at least once in the golden conversations', () => {
    const shown = new Set(golden.map(({ message }) => message['type']));
    const all = Object.entries(schema.$defs).filter(([name]) => name.endsWith('Message') && !/^(Engine|Worker)/.test(name))
      .map(([, { properties }]) => (properties?.['type'] as { const?: string }).const);
    expect([...shown].sort()).to.deep.equal(all.sort());
  });

  it('describes every message and every member', () => {
    for (const [name, { description, properties }] of Object.entries(schema.$defs)) {
      expect(description, name).to.be.a('string');
      for (const [key, member] of Object.entries(properties ?? {})) expect(member.description, `${name}.${key}`).to.be.a('string');
    }
  });

  it('refuses every golden message that lacks its type or one of its required members', () => {
    let variants = 0;
    for (const { from, message } of golden) {
      for (const key of requiredOf(message)) {
        const { [key]: _, ...broken } = message;
        expect(bySender[from](broken), `${JSON.stringify(message)} without ${key}`).to.equal(false);
        variants++;
      }
    }
    expect(variants).to.be.greaterThan(100);
  });

  it('refuses every golden message with a required member of another type', () => {
    for (const { from, message } of golden) {
      for (const key of requiredOf(message)) {
        const broken = { ...message, [key]: typeof message[key] === 'object' ? 7 : [] };
        expect(bySender[from](broken), `${JSON.stringify(message)} with ${key} of another type`).to.equal(false);
      }
    }
  });

  it('refuses messages of the other side', () => {
    const oneWay = golden.filter(({ message }) => !['chunk', 'credit'].includes(String(message['type'])));
    for (const { from, message } of oneWay) expect(bySender[from === 'engine' ? 'worker' : 'engine'](message)).to.equal(false);
  });

  it('refuses values out of range', () => {
    const broken = [
      { type: 'result', id: -1 }, { type: 'result', id: 1.5 }, { type: 'result', id: 1, http: { status: 99 } },
      { type: 'error', id: 1, code: 'nonsense', message: '' }, { type: 'alive', loopDelayMs: -1 },
      { type: 'result', id: 1, http: { status: 200, body: { kind: 'bytes', value: '' } } },
    ];
    for (const message of broken) expect(bySender.worker(message), JSON.stringify(message)).to.equal(false);
    expect(validatorOf('Frame')([])).to.equal(false);
    expect(validatorOf('Frame')({ type: 'ping' })).to.equal(false);
  });
});

function requiredOf(message: Readonly<Record<string, unknown>>): readonly string[] {
  const found = Object.values(schema.$defs).find(({ properties }) => (properties?.['type'] as { const?: string } | undefined)?.const === message['type']);
  return ((found as { required?: string[] } | undefined)?.required ?? []);
}
