import { Empty } from '../parts/data-state.js';

/** Without a session: where the link is. */
export function SignIn() {
  return (
    <main>
      <Empty title="This console wants to know you">
        <p>Open it by the link that the engine prints at its start; it works once. For another one, in the folder of the application:</p>
        <pre>npx treadle console</pre>
        <p className="muted">In a container: <code>docker exec &lt;container&gt; npx treadle console --no-open</code> prints it.</p>
      </Empty>
    </main>
  );
}
