import type { RuntimeHost, RuntimeSession, StepFile } from '@treadle/api';

/** A host that listens to nobody, with what a test wants of it. */
export function testHost(root: string, own: Partial<RuntimeHost> = {}): RuntimeHost {
  const nothing = (): void => undefined;
  return {
    root, dataDir: root, mode: 'production', env: process.env, socketUrl: 'ws+unix:/x:/', token: 't',
    expectChild: nothing, refuse: nothing, reportCrash: nothing, statusChanged: nothing, output: nothing,
    join: () => { throw new Error('not used'); },
    ...own,
  };
}

/** A session that notes what it is to load. */
export function testSession(loads: (readonly StepFile[])[] = []): RuntimeSession {
  return {
    id: 's', runtime: 'node', version: 'v0', send: () => undefined, cancel: () => undefined,
    load: (files) => void loads.push(files), drain: () => undefined,
  };
}
