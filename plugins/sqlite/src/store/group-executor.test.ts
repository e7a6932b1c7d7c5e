import { expect } from 'chai';
import type { StoreFiles } from '../disk/store-files.js';
import { chooseDriver } from '../driver/choose-driver.js';
import { GroupExecutor } from './group-executor.js';
import { openConnection } from './open-connection.js';

/** Frames that the database lacks, and pages in them; moving takes all. */
class Log {
  pending = 0;
  pendingPages = 0;
  moves: number[] = [];
  glance = (): undefined => undefined;
  noteCommit = (): undefined => undefined;
  move = (): undefined => {
    this.moves.push(this.pending);
    this.pending = this.pendingPages = 0;
  };

  grow(frames: number, pages: number): void {
    this.pending += frames;
    this.pendingPages += pages;
  }
}

describe('GroupExecutor, which moves the log', () => {
  let log: Log;
  let executor: GroupExecutor;
  const writes = { name: 'test', migrations: [], freeing: new Set<string>(), operations: () => ({ write: () => undefined }) };
  const commits = (count: number, frames: number, pages: number): void => {
    for (let each = 0; each < count; each += 1) {
      log.grow(frames, pages);
      executor.run([{ operation: 'write', rows: [], after: -1 }]);
    }
  };
  const make = (mostPages?: number): void => {
    log = new Log();
    executor = new GroupExecutor(openConnection(chooseDriver(), ':memory:', 'full'), [writes], {
      files: log as unknown as StoreFiles, ...(mostPages !== undefined && { mostPages }),
    });
  };

  it('after 4,000 frames, whatever they have', () => {
    make();
    commits(81, 50, 50);
    expect(log.moves).to.deep.equal([4_000]);
  });

  it('already when it has so many pages', () => {
    make(500);
    commits(20, 50, 50);
    expect(log.moves).to.deep.equal([500, 500]);
  });

  it('after 4,000 frames when they have the same pages again and again', () => {
    make(500);
    commits(81, 50, 5);
    expect(log.moves).to.deep.equal([4_000]);
  });

  it('as soon when somebody else has moved it meanwhile', () => {
    make(500);
    commits(60, 50, 1);
    log.move();
    log.moves = [];
    commits(10, 50, 50);
    expect(log.moves).to.deep.equal([500]);
  });
});
