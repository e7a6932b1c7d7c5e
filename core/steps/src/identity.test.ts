import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import * as own from './index.js';

/** A second copy of the built package, as an application may bring it. */
describe('two copies of the package', () => {
  let folder: string;
  let other: typeof own;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'treadle-copy-'));
    cpSync(fileURLToPath(new URL('../dist', import.meta.url)), join(folder, 'dist'), { recursive: true });
    cpSync(fileURLToPath(new URL('../package.json', import.meta.url)), join(folder, 'package.json'));
    other = (await import(pathToFileURL(join(folder, 'dist/index.js')).href)) as typeof own;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('recognise each other\'s errors', () => {
    expect(new other.NonRetryableError('x')).to.be.instanceOf(own.NonRetryableError);
    expect(new other.RetryAfter(5)).to.be.instanceOf(own.RetryAfter);
    expect(new other.HandlerExit('process.exit')).to.be.instanceOf(own.HandlerExit);
    expect(new other.HttpError(404)).to.be.instanceOf(own.HttpError);
    expect(new other.OperationError('QueueFull', 'x')).to.be.instanceOf(own.OperationError);
    expect(new other.TopicNotDeclared('A', 't')).to.be.instanceOf(own.TopicNotDeclared);
  });

  it('do not take one error for another', () => {
    const errors = [new other.NonRetryableError('x'), new other.RetryAfter(5), new other.HandlerExit('process.exit'), new other.HttpError(404), new other.TopicNotDeclared('A', 't')];
    const classes = [own.NonRetryableError, own.RetryAfter, own.HandlerExit, own.HttpError, own.TopicNotDeclared];
    for (const [row, error] of errors.entries()) {
      expect(classes.map((each) => error instanceof each)).to.deep.equal(classes.map((_, column) => column === row));
      expect(error).to.be.instanceOf(Error);
    }
    expect(new other.TopicNotDeclared('A', 't')).to.be.instanceOf(own.OperationError);
    expect(new other.OperationError('X', 'x')).not.to.be.instanceOf(own.TopicNotDeclared);
    expect(undefined).not.to.be.instanceOf(own.RetryAfter);
  });

  it('share the context of the running handler', () => {
    const context = { stepName: 'A' } as own.StepContext;
    own.contextStorage().run(context, () => expect(other.getContext()).to.equal(context));
  });

  it('recognise each other\'s topics and streamed answers', () => {
    expect(own.isTopic(other.topic('t', {}))).to.equal(true);
    expect(own.isStreamed(other.sse(() => undefined))).to.equal(true);
    expect(own.isStreamed(other.streamed(['a']))).to.equal(true);
    expect(own.isTopic({ topic: 't', schema: {} })).to.equal(false);
    expect(own.isStreamed({ status: 200, headers: {} })).to.equal(false);
  });
});

describe('getContext', () => {
  it('says that there is none outside a handler', () => {
    expect(() => own.getContext()).to.throw('getContext() was called outside a handler; it works while a Step\'s handler runs');
  });
});

describe('errors for handlers', () => {
  it('carry what the engine needs', () => {
    expect(new own.RetryAfter(1500)).to.include({ name: 'RetryAfter', delayMs: 1500, message: 'try again after 1500 ms' });
    expect(new own.NonRetryableError('broken', { cause: 7 })).to.include({ name: 'NonRetryableError', message: 'broken', cause: 7 });
    expect(new own.TopicNotDeclared('A', 't')).to.include({
      code: 'TopicNotDeclared', message: 'Step "A" enqueues to "t", which its "enqueues" does not list',
    });
    for (const status of [399, 600, 404.5, Number.NaN]) expect(() => new own.HttpError(status)).to.throw(RangeError, 'HttpError needs a status from 400 to 599');
    expect(new own.HttpError(409, { error: 'taken' }, { 'x-a': 1 }, { cause: 7 })).to.deep.include({ message: 'taken', headers: { 'x-a': 1 }, cause: 7 });
    expect(new own.HttpError(404).message).to.equal('Not Found');
    for (const delay of [-1, Number.NaN, Infinity]) expect(() => new own.RetryAfter(delay)).to.throw(RangeError);
  });
});

describe('topic', () => {
  it('reads as its name', () => {
    const created = own.topic('ticket.created', { type: 'object' });
    expect(String(created)).to.equal('ticket.created');
    expect(Object.keys(created)).to.deep.equal(['topic', 'schema']);
  });
});

describe('streamed answers', () => {
  it('have headers that the caller may override', () => {
    expect(own.sse(() => undefined).headers).to.include({ 'content-type': 'text/event-stream' });
    const answer = own.streamed(['a'], { status: 206, headers: { 'content-type': 'text/csv' } });
    expect(answer.status).to.equal(206);
    expect(answer.headers).to.deep.equal({ 'content-type': 'text/csv' });
  });
});
