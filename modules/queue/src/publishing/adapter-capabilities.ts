import { adapterSpecOf, type Ctor, type QueueAdapter, type QueueCapabilities } from '@treadle/api';

/** What the module asks of an adapter while it runs. */
export type UsedCapabilities = Pick<QueueCapabilities, 'dedupe' | 'multiEngine' | 'maxMessageBytes'>;

/** Of an adapter without a declaration, as tests have. */
const UNDECLARED: UsedCapabilities = { dedupe: true, multiEngine: false, maxMessageBytes: Number.MAX_SAFE_INTEGER };

/**
 * What an adapter's class declares. The module does not know the adapter's config; what is used here is the class's own
 * and the same for each, so any config of its variants will do.
 */
export function capabilitiesOf(adapter: QueueAdapter): UsedCapabilities {
  const spec = adapterSpecOf(adapter.constructor as Ctor<unknown>);
  if (!spec) return UNDECLARED;
  const { capabilities, variants } = spec;
  const declared: unknown = typeof capabilities === 'function'
    ? (capabilities as (config: unknown) => unknown)(Object.values(variants)[0] ?? {})
    : capabilities;
  return { ...UNDECLARED, ...(declared as Partial<UsedCapabilities> | undefined) };
}
