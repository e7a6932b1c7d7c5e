import type { StepNode } from '../../api/types.generated.js';
import { paths } from '../../url/paths.js';

/** Where a Step is run by hand: at its first trigger for which there is such a place. Undefined for one that only changes start. */
export function runPath({ step, triggers }: Pick<StepNode, 'step' | 'triggers'>): string | undefined {
  return triggers.flatMap(({ type, label }, at): readonly string[] => {
    switch (type) {
      case 'http': return [paths.endpoint(step, at)];
      case 'queue': return [paths.topic(label, 'publish')];
      case 'cron': return [paths.cron(step)];
      default: return [];
    }
  })[0];
}
