import { expect } from 'chai';
import { type KvLog, kvLogLoss, kvLogSalt, type KvRecord, kvRecordFile, NOTHING_ACKNOWLEDGED, readKvRecord, writeKvRecord } from './kv-record.js';

/** Magic, version, size of pages, number of beginnings, salt. */
const header = (beginnings: number, salt: string): string => `377f0682002de21800001000${beginnings.toString(16).padStart(8, '0')}${salt}`;
const HEADER = header(6, 'a1b2c3d4e5f60718');
const RECORD: KvRecord = { pid: 4711, logBytes: 41_232, log: { header: HEADER, frames: 10 } };

describe('the record of a KvStore', () => {
  it('lies beside its database', () => expect(kvRecordFile('/data/kv_store.db')).to.equal('/data/kv_store.db.pid'));

  it('is written as stores on disks have it, byte for byte', () => {
    expect(writeKvRecord(RECORD)).to.equal(`           4711\n          41232\n             10\n${HEADER}\n`);
    expect(writeKvRecord({ pid: 1, logBytes: 0, log: NOTHING_ACKNOWLEDGED })).to.equal(`              1\n              0\n              0\n${' '.repeat(48)}\n`);
  });

  it('is always as long, so that a later one covers the one before', () => {
    const largest = { pid: 4_194_304, logBytes: 999_999_999_999_999, log: { header: HEADER, frames: 999_999_999_999_999 } };
    expect(writeKvRecord(largest)).to.have.length(writeKvRecord(RECORD).length);
  });

  it('is read as it was written', () => {
    for (const record of [RECORD, { pid: 1, logBytes: 0, log: NOTHING_ACKNOWLEDGED }]) expect(readKvRecord(writeKvRecord(record))).to.deep.equal(record);
  });

  it('claims nothing that is not there whole', () => {
    const nothing = { pid: 0, logBytes: 0, log: NOTHING_ACKNOWLEDGED };
    expect(readKvRecord('')).to.deep.equal(nothing);
    expect(readKvRecord('no record at all')).to.deep.equal(nothing);
    expect(readKvRecord('4711\n')).to.deep.equal({ ...nothing, pid: 4711 });
    expect(readKvRecord(writeKvRecord(RECORD).slice(0, -2)), 'a cut header').to.deep.equal({ ...RECORD, log: NOTHING_ACKNOWLEDGED });
  });
});

describe('a log and the record of it', () => {
  const log = (found: Partial<KvLog> = {}, text = HEADER): KvLog => ({ bytes: 41_232, beginning: Buffer.from(text, 'hex'), isSound: true, frames: 10, ...found });

  it('agree when all that was acknowledged is there', () => {
    expect(kvLogLoss(RECORD, log())).to.equal(undefined);
    expect(kvLogLoss(RECORD, log({ bytes: 90_000, frames: 20 }))).to.equal(undefined);
  });

  it('differ when it is shorter, or fewer of its frames are sound', () => {
    expect(kvLogLoss(RECORD, log({ bytes: 41_231 }))).to.equal('bytes');
    expect(kvLogLoss(RECORD, log({ bytes: 0, isSound: false, beginning: Buffer.alloc(24), frames: 0 }))).to.equal('bytes');
    expect(kvLogLoss(RECORD, log({ frames: 9 }))).to.equal('frames');
    expect(kvLogLoss({ ...RECORD, log: NOTHING_ACKNOWLEDGED }, log({ isSound: false, frames: 0 })), 'nothing but the length is known').to.equal(undefined);
  });

  it('agree when it began anew since, also when a power cut tore its new header', () => {
    expect(kvLogLoss(RECORD, log({ frames: 1 }, header(7, 'ffffffffffffffff')))).to.equal(undefined);
    expect(kvLogLoss(RECORD, log({ isSound: false, frames: 0 }, header(7, '0000000000000000')))).to.equal(undefined);
    expect(kvLogLoss(RECORD, log({ isSound: false, frames: 0 }))).to.equal('header');
    const last = { ...RECORD, log: { header: header(0xffff_ffff, '1'.repeat(16)), frames: 10 } };
    expect(kvLogLoss(last, log({ isSound: false }, header(0, '0000000000000000'))), 'the number begins anew, too').to.equal(undefined);
  });

  it('are told apart by the salt, which the last digits of the header are', () => expect(kvLogSalt(HEADER)).to.equal('a1b2c3d4e5f60718'));
});
