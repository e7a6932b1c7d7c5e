import { matchPath } from '../../url/match-path.js';
import { useParam, usePath } from '../../url/location.js';
import { CapturePage } from './capture-page.js';
import { CompareTraces } from './compare-traces.js';
import { TraceDetail } from './trace-detail.js';
import { TraceList } from './trace-list.js';

export default function TracesView() {
  const id = matchPath('/traces/:id', usePath())?.['id'];
  const [other] = useParam('vs');
  const [step] = useParam('step');
  const [from] = useParam('from');
  if (id === undefined) return <TraceList />;
  if (id === 'capture') return <CapturePage />;
  return other === '' ? <TraceDetail key={id} traceId={id} /> : <CompareTraces a={id} b={other} step={step} from={from} />;
}
