import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { TEMPLATES } from './choices.js';
import { Prompt } from './prompt.js';

describe('the questions of create', () => {
  let input: PassThrough;
  let shown: string;
  let prompt: Prompt;
  beforeEach(() => {
    input = new PassThrough();
    const output = new PassThrough();
    shown = '';
    output.on('data', (chunk: Buffer) => { shown += chunk.toString('utf8'); });
    prompt = new Prompt(input, output);
  });
  afterEach(() => prompt.close());

  /** Types each answer once the question before it has been asked. */
  async function answering<T>(answers: readonly string[], question: Promise<T>): Promise<T> {
    for (const answer of answers) {
      await new Promise((resolve) => setImmediate(resolve));
      input.write(`${answer}\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return question;
  }

  it('repeat a text until there is nothing to object', async () => {
    const text = prompt.text('Project name:', (answer) => (answer === 'good' ? undefined : `not "${answer}"`));
    expect(await answering(['bad', ' good '], text)).to.equal('good');
    expect(shown).to.equal('Project name:   not "bad"\nProject name: ');
  });

  it('take a number, an id or Enter for the first that there is', async () => {
    expect(await answering([''], prompt.choose('Template', TEMPLATES))).to.equal('basic');
    expect(await answering(['1'], prompt.choose('Template', TEMPLATES))).to.equal('basic');
    expect(await answering(['basic'], prompt.choose('Template', TEMPLATES))).to.equal('basic');
  });

  it('say what is not in this version and what is no answer at all', async () => {
    expect(await answering(['3', 'what', '1'], prompt.choose('Template', TEMPLATES))).to.equal('basic');
    expect(shown).to.include('2) api: a REST API (not in this version)\n').and.include('is not in this version\n').and.include('answer with 1 to 3\n');
  });

  it('end when the input ends', async () => {
    const text = prompt.text('Project name:', () => 'never');
    input.end();
    expect((await text.catch((error: unknown) => error) as Error).message).to.equal('cancelled');
  });

  it('end after five useless answers', async () => {
    const text = prompt.text('Project name:', () => 'never').catch((error: unknown) => error);
    expect((await answering(['1', '2', '3', '4', '5'], text) as Error).message).to.equal('no usable answer');
  });
});
