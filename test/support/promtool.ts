import { spawnSync } from 'node:child_process';

/** What Prometheus' own checker says of metrics in its text form, empty when it finds nothing; undefined where it is not installed. */
export function promtoolFindings(metrics: string): string | undefined {
  const { error, stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
  if (error) return undefined;
  return status === 0 ? `${stdout}${stderr}`.trim() : `${stdout}${stderr}`.trim() || `ended with ${String(status)}`;
}
