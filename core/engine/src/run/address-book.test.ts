import { expect } from 'chai';
import type { BootStep, PlannedEntry } from '@treadle/kernel';
import { AddressBook } from './address-book.js';

describe('address book', () => {
  const entry = (id: string): PlannedEntry => ({ instance: { id } }) as unknown as PlannedEntry;
  const [http, steps] = [entry('http'), entry('steps')];
  let tree: BootStep[];
  let book: AddressBook;
  const ended = (instance: string): void => { tree.push({ instance, class: instance, path: '', phase: 'start', ms: 1 }); };
  const of = (one: PlannedEntry, ...names: string[]): string[] =>
    book.of(one, [http, steps], new Map(names.map((name) => [name, `at ${name}`])));

  beforeEach(() => {
    tree = [];
    book = new AddressBook(() => tree);
  });

  it('gives an address to the module that was starting, whatever the names', () => {
    book.note('web');
    ended('http');
    book.note('worker');
    book.note('worker-tcp');
    ended('steps');
    expect(of(http, 'web', 'worker', 'worker-tcp')).to.deep.equal(['at web']);
    expect(of(steps, 'web', 'worker', 'worker-tcp')).to.deep.equal(['at worker', 'at worker-tcp']);
  });

  it('gives an adapter\'s address to its module, which starts right after it', () => {
    ended('http');
    book.note('console');
    ended('some::adapter');
    ended('steps');
    expect(of(steps, 'console')).to.deep.equal(['at console']);
  });

  it('follows an address that is announced again by a reload', () => {
    book.note('web');
    ended('http');
    ended('steps');
    book.note('web');
    ended('steps');
    expect(of(steps, 'web')).to.deep.equal(['at web']);
  });
});
