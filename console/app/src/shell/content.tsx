import { Component, type ReactNode } from 'react';
import { Button } from '../parts/controls.js';
import { Empty } from '../parts/data-state.js';
import { Link } from '../url/link.js';
import { GoResolver } from './go-resolver.js';
import { viewOf } from './views.js';

/** The view of a path. A view that breaks leaves the rest of the page as it is. */
export function Content({ path }: { readonly path: string }) {
  if (path.startsWith('/go/')) return <GoResolver path={path} />;
  const view = viewOf(path);
  if (!view) return <Empty title="There is no such view"><p>The address {path} belongs to no view. <Link to="/">Go home</Link></p></Empty>;
  const View = view.component;
  return <Fence key={view.id} name={view.title}><View /></Fence>;
}

class Fence extends Component<{ readonly name: string; readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Empty title={`${this.props.name} broke`}>
        <p>{error.message}</p>
        <div className="row"><Button onClick={() => this.setState({ error: undefined as never })}>Draw it again</Button><Button onClick={() => location.reload()}>Load the page anew</Button></div>
        <details><summary className="muted">Stack</summary><pre>{error.stack}</pre></details>
      </Empty>
    );
  }
}
