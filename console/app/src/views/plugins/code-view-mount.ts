import type { MountedView, ViewCall, ViewContext, ViewModule, ViewRoot } from '@treadle/api';
import { send } from '../../api/client.js';
import { live } from '../../live/live-client.js';
import { toast } from '../../parts/toasts.js';
import { navigate, patchSearch } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import type { ShownCodeView } from './code-view-host.js';
import { moduleRoute } from './module-route.js';
import type { ViewSettings } from './view-settings.js';

/** What of the context changes while the view is there. */
export type GivenContext = ViewSettings & Pick<ViewContext, 'path' | 'search'>;

interface Options {
  readonly view: ShownCodeView;
  /** Of its entry. */
  readonly url: string;
  /** The view has failed; it is told once, and is stopped then. */
  readonly onFault: (fault: Error) => void;
}

/** One life of a view with code: from the loading of its file until it goes or fails. */
export class CodeViewMount {
  private readonly end = new AbortController();
  private mounted: MountedView | undefined;

  constructor(private readonly options: Options) {
    window.addEventListener('error', this.onError);
    window.addEventListener('unhandledrejection', this.onRejection);
  }

  async start(root: ShadowRoot, given: GivenContext): Promise<void> {
    try {
      const { default: view } = await import(/* @vite-ignore */ this.options.url) as { readonly default?: ViewModule };
      if (typeof view?.mount !== 'function') throw new Error('its file exports no view by default: { mount(root, context) { … } }');
      const mounted = this.end.signal.aborted ? undefined : await view.mount(root as ViewRoot, this.context(given)) ?? undefined;
      if (this.end.signal.aborted) mounted?.unmount?.();
      else this.mounted = mounted;
    } catch (error) {
      this.fail(error);
    }
  }

  update(given: GivenContext): void {
    this.guarded(() => this.mounted?.update?.(this.context(given)));
  }

  /** Idempotent. */
  stop(): void {
    const { mounted } = this;
    this.mounted = undefined;
    window.removeEventListener('error', this.onError);
    window.removeEventListener('unhandledrejection', this.onRejection);
    this.guarded(() => mounted?.unmount?.());
    this.end.abort();
  }

  private context(given: GivenContext): ViewContext {
    const { view } = this.options;
    const { signal } = this.end;
    return {
      ...given, signal, toast,
      call: <T>(route: string, { method = 'GET', ...rest }: ViewCall = {}) => send({ method, path: moduleRoute(view, route), ...rest }, { signal }) as Promise<T>,
      subscribe: (route, onEvent, onGap) => this.subscribe(route, onEvent, onGap),
      navigate: (to) => navigate(to.startsWith('./') ? `${paths.pluginView(view)}/${to.slice(2)}` : to),
      setSearch: (patch) => patchSearch(patch),
    };
  }

  private subscribe(route: string, onEvent: (event: unknown) => void, onGap?: (dropped: number) => void): () => void {
    const leave = live.subscribe(moduleRoute(this.options.view, route), {}, {
      events: (events) => this.guarded(() => events.forEach((event) => onEvent(event))), gap: (dropped) => this.guarded(() => onGap?.(dropped)),
    });
    this.end.signal.addEventListener('abort', leave, { once: true });
    return leave;
  }

  private guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.end.signal.aborted) return;
    this.end.abort();
    this.stop();
    this.options.onFault(error instanceof Error ? error : new Error(String(error)));
  }

  /** What its own handlers and timers throw comes to the window, with the file that it is from. */
  private readonly onError = (event: ErrorEvent): void => {
    if (this.isOurs(`${event.filename} ${(event.error as Error | undefined)?.stack ?? ''}`)) this.fail(event.error ?? new Error(event.message));
  };

  private readonly onRejection = ({ reason }: PromiseRejectionEvent): void => {
    if (this.isOurs(String((reason as Error | undefined)?.stack))) this.fail(reason);
  };

  private isOurs(text: string): boolean {
    return text.includes(this.options.url.slice(0, this.options.url.lastIndexOf('/') + 1));
  }
}
