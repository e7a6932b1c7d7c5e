import type { ReactNode } from 'react';
import { Link } from '../url/link.js';
import { Empty } from './data-state.js';

interface Props {
  /** e.g. `metric`. */
  readonly what: string;
  readonly name: string;
  /** Where those are that there are, and how that is called. */
  readonly to: string;
  readonly list: string;
  /** Why it may not be there. */
  readonly children?: ReactNode;
}

/** What the address names is not there; beside it, what there is. */
export function NotThere({ what, name, to, list, children }: Props) {
  return <Empty title={`There is no ${what} “${name}”`}>{children !== undefined && <p>{children}</p>}<p><Link to={to}>{list}</Link></p></Empty>;
}
