import { useState } from 'react';
import type { LogPattern } from '../../api/types.generated.js';
import { useApi } from '../../api/use-api.js';
import { count } from '../../format/numbers.js';
import { useRowKeys } from '../../keys/use-row-keys.js';
import { Button } from '../../parts/controls.js';
import { Answer, Empty, Filtered, Note } from '../../parts/data-state.js';
import table from '../../parts/table.module.css';
import { alsoAsking } from '../../parts/with-condition.js';
import { Time } from '../../parts/time.js';
import { Content } from '../../parts/view.js';
import { VirtualTable } from '../../parts/virtual-table.js';
import { navigate, patchSearch } from '../../url/location.js';
import { Level } from './level.js';
import { patternCondition } from './pattern-query.js';

const MOST = 500;
const ROW = 38;

interface Props {
  readonly q: string;
  readonly from: string;
  readonly to: string;
}

/** Lines that differ in numbers and ids only, as one each with their number. The engine counts over everything that is kept and fits. */
export function LogPatterns({ q, from, to }: Props) {
  const answer = useApi('GET /logs/patterns', { q, from, to, limit: MOST }, { keep: true });
  return (
    <Content>
      <Answer of={answer} what="patterns">
        {({ items }) => (items.length > 0 ? <>{items.length === MOST && <Note>The {count(MOST)} most frequent patterns; a share is one of their lines.</Note>}<Found items={items} q={q} /></> : q !== '' || from !== '' || to !== '' ? <Filtered what="lines" query={q} onDrop={() => navigate('/logs?as=patterns')} onQuery={(query) => patchSearch({ q: query })} onAllTimes={from === '' && to === '' ? undefined : () => patchSearch({ from: null, to: null })} /> : <Empty title="Nothing was logged yet" />)}
      </Answer>
    </Content>
  );
}

function Found({ items, q }: { readonly items: readonly LogPattern[]; readonly q: string }) {
  const [at, setAt] = useState(-1);
  const all = items.reduce((sum, one) => sum + one.count, 0);
  const show = (pattern: LogPattern | undefined): void => {
    if (pattern) patchSearch({ as: null, q: alsoAsking(q, [`level:${pattern.level}`, patternCondition(pattern.pattern)].filter(Boolean).join(' ')) });
  };
  useRowKeys(items.length, at, { onMove: setAt, onOpen: (index) => show(items[index]) });
  return (
    <VirtualTable<LogPattern>
      items={items} keyOf={({ level, pattern }) => `${level} ${pattern}`} label="Patterns, the most frequent first" rowHeight={ROW} current={at}
      head={<><th className={table.num}>Lines</th><th className={`${table.num} ${table.narrow}`}>Share</th><th>Level</th><th>Pattern</th><th className={table.narrow}>First</th><th className={table.narrow}>Last</th><th /></>}
      render={(one) => (
        <>
          <td className={table.num}>{count(one.count)}</td><td className={`${table.num} ${table.narrow}`}>{Math.round((one.count / all) * 100)} %</td><td><Level level={one.level} /></td><td className="mono" title={one.pattern}>{one.pattern}</td>
          <td className={table.narrow}><Time at={one.first} /></td><td className={table.narrow}><Time at={one.last} /></td>
          <td><span className="row"><Button onClick={() => show(one)}>Show</Button>{patternCondition(one.pattern) !== undefined && <Button onClick={() => patchSearch({ q: alsoAsking(q, `-${patternCondition(one.pattern) ?? ''}`) })}>Hide</Button>}</span></td>
        </>
      )}
    />
  );
}
