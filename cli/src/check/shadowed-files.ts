import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Diagnostic, StepRecord } from '@treadle/api';
import type { EnginePlan } from '@treadle/kernel';

const HTTP_MODULE = 'modules::http::HttpModule';
/** Files of one folder that are looked at, and how deep. */
const MAX_FILES = 1000;
const MAX_DEPTH = 4;
/** Files that are named. */
const NAMED = 3;

interface Mount {
  readonly path: string;
  readonly dir: string;
}

/**
 * Warnings for routes with parameters that take paths of files which `static` serves: a Step always comes first. `GET /:code` takes
 * `/app.js`, and its page gets no script.
 */
export async function shadowedFiles(plan: EnginePlan, steps: readonly StepRecord[]): Promise<readonly Diagnostic[]> {
  const http = plan.entries.find(({ instance }) => instance.classId === HTTP_MODULE);
  const served = await Promise.all(((http?.config['static'] ?? []) as readonly Mount[]).map(async (mount) => ({ mount, paths: await pathsOf(mount, plan.root) })));
  return steps.flatMap((step) => step.config.triggers.flatMap((trigger, index) => {
    if (trigger.type !== 'http' || trigger['method'] !== 'GET') return [];
    const route = String(trigger['path']);
    const matches = matcher(route);
    return matches === undefined ? [] : served.flatMap(({ mount, paths }) => {
      const taken = paths.filter(matches);
      return taken.length === 0 ? [] : [warning({ step, index, route, taken, dir: mount.dir })];
    });
  }));
}

/** Undefined for a route that is one path: whoever writes that means it. */
function matcher(route: string): ((path: string) => boolean) | undefined {
  const pattern = route.split('/');
  if (!pattern.some((segment) => /^[:*]/.test(segment))) return undefined;
  const rest = pattern.findIndex((segment) => segment.startsWith('*'));
  return (path) => {
    const segments = path.split('/');
    if (rest < 0 ? segments.length !== pattern.length : segments.length < pattern.length) return false;
    return pattern.every((part, at) => part.startsWith('*') || (part.startsWith(':') ? segments[at] !== '' : part === segments[at]));
  };
}

interface Taken {
  readonly step: StepRecord;
  readonly index: number;
  readonly route: string;
  readonly taken: readonly string[];
  readonly dir: string;
}

function warning({ step, index, route, taken, dir }: Taken): Diagnostic {
  const more = taken.length - NAMED;
  const named = `${taken.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return {
    severity: 'warning', code: 'STEP_SHADOWS_FILES', file: step.file, step: step.id, ...step.line !== undefined && { line: step.line },
    message: `config.triggers[${index}]: GET ${route} takes the place of files of "${dir}": ${named}`,
    remedy: 'a Step comes before files: give it a path of its own, or serve the folder below another "path" of "static"',
  };
}

/** Paths under which the files of a mount are served, sorted. */
async function pathsOf({ path, dir }: Mount, root: string): Promise<readonly string[]> {
  const prefix = path.replace(/\/$/, '');
  const found: string[] = [];
  const look = async (folder: string, below: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (found.length === MAX_FILES || entry.name.startsWith('.')) continue;
      if (!entry.isDirectory()) found.push(`${below}/${entry.name}`);
      else if (depth < MAX_DEPTH) await look(join(folder, entry.name), `${below}/${entry.name}`, depth + 1);
    }
  };
  await look(resolve(root, dir), prefix, 1);
  return found.sort();
}
