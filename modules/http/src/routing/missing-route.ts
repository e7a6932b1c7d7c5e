import { nearest } from '@treadle/api';
import { type Problem, PROBLEMS } from '../response/problem.js';
import { routeName, type StepRoute } from './step-route.js';

/** Routes that are told at most. */
const TOLD = 50;

/** 404 in development: says which routes there are, and which one was probably meant. */
export function missingRoute(path: string, routes: readonly Pick<StepRoute, 'method' | 'label'>[]): Problem {
  const meant = nearest(path, routes.map(({ label }) => label));
  const hint = meant === undefined ? undefined : `did you mean ${routes.filter(({ label }) => label === meant).map(routeName).join(' or ')}?`;
  const names = routes.map(routeName).sort(byPath);
  return PROBLEMS.notFound.with(routes.length === 0 ? { hint: 'no Step has an http trigger' } : { hint, routes: names.slice(0, TOLD) });
}

/** The same as a page. `asked`: method and path of the request. */
export function missingPage(asked: string, { parts: { hint, routes = [] } }: Problem): string {
  const items = routes.map((route) => `<li><code>${escaped(route)}</code></li>`).join('');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>404 Not Found</title>
<style>body{font:16px/1.5 system-ui;margin:3rem auto;max-width:44rem;padding:0 1rem;color-scheme:light dark}</style>
<h1>Not found</h1><p>No Step answers <code>${escaped(asked)}</code>.${hint === undefined ? '' : ` ${escaped(hint.charAt(0).toUpperCase() + hint.slice(1))}`}</p>
${items === '' ? '' : `<h2>Routes</h2><ul>${items}</ul>`}<p>This page is shown in development only.</p></html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function byPath(one: string, other: string): number {
  const [a, b] = [one, other].map((name) => name.slice(name.indexOf(' ') + 1)) as [string, string];
  if (a !== b) return a < b ? -1 : 1;
  return one < other ? -1 : 1;
}
