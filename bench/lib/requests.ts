/** Number of parallel requests. */
export const IN_FLIGHT = 16;
/** Number of requests in ten that change something. */
const WRITES_OF_TEN = 3;
/**
 * Schedules that are paused and changed in turn. If many requests changed a single one at once, some would correctly
 * get a 409.
 */
const CHANGED = 50;
/** Schedules must be registered before requests can change them. */
export const FIRST = CHANGED;

/** At least this share of the requests of a fixed rate must be sent: a lower rate would be another measurement. */
const SENT_SHARE = 0.95;

/**
 * Requests that begin at a fixed rate, regardless of the duration of the answers. The number of parallel requests is
 * limited.
 *
 * @throws {Error} if the rate was not reached
 */
export async function paced(url: string, rate: number, stop: AbortSignal): Promise<void> {
  const begun = performance.now();
  const underWay = new Set<Promise<unknown>>();
  let index = FIRST;
  for (; !stop.aborted; index++) {
    const wait = begun + ((index - FIRST) / rate) * 1_000 - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const asked: Promise<unknown> = request(url, index).finally(() => underWay.delete(asked));
    underWay.add(asked);
    if (underWay.size >= IN_FLIGHT) await Promise.race(underWay);
  }
  const sent = index - FIRST;
  const due = (rate * (performance.now() - begun)) / 1_000;
  await Promise.all(underWay);
  if (sent < due * SENT_SHARE) throw new Error(`only ${sent} of ${Math.round(due)} requests were sent`);
}

const READS = [
  '/v1/schedules?pageSize=20',
  '/v1/schedules/asked-0',
  '/v1/firings?pageSize=20',
  '/v1/overview',
  '/v1/schedules/asked-0/next',
];

/** Reads, and sometimes a schedule that is created, paused or changed. */
export function request(url: string, index: number): Promise<void> {
  if (index % 10 >= WRITES_OF_TEN) return ask(url, index, 'GET');
  return ask(url, index, (['POST', 'PAUSE', 'PATCH'] as const)[index % 3]!);
}

/** Schedules that are changed later. */
export async function registerChanged(url: string): Promise<void> {
  for (let index = 0; index < CHANGED; index++) await ask(url, index, 'POST');
}

async function ask(url: string, index: number, kind: 'GET' | 'POST' | 'PAUSE' | 'PATCH'): Promise<void> {
  const json = (method: string, path: string, body: object) =>
    fetch(`${url}${path}`, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  // These schedules never fire, since only the firings of others are measured.
  const spec = { at: '2099-01-01T00:00:00Z' };
  const action = { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none' };
  const changed = `asked-${Math.floor(index / 10) % CHANGED}`;
  const answer = await {
    GET: () => fetch(`${url}${READS[index % READS.length]}`),
    POST: () => json('POST', '/v1/schedules', { scheduleId: `asked-${index}`, spec, action }),
    PAUSE: () => json('POST', `/v1/schedules/${changed}/pause`, { note: `${index}` }),
    PATCH: () => json('PATCH', `/v1/schedules/${changed}?force=true`, { owner: `${index}` }),
  }[kind]();
  await answer.arrayBuffer();
  if (answer.status >= 400) throw new Error(`${kind} answered ${answer.status}`);
}
