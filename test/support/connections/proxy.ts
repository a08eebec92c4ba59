import { onTestFinished } from 'vitest';
import { openProxy, type Way } from '../../../chaos/world/proxy';

export type { Way } from '../../../chaos/world/proxy';

/** A proxy in front of `host:port`, for the length of the test. */
export function proxyOf(target: string): Promise<Way> {
  return openProxy(onTestFinished, target);
}
