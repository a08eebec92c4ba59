import { Agent, request as send } from 'node:http';

/**
 * Number of parallel requests. Further requests wait until one of these is answered; meanwhile they count as due, and
 * not as answered.
 */
export const IN_FLIGHT = 16;
const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
const TICK_MILLISECONDS = 5;
/** Number of requests in ten that change something. */
const WRITES_OF_TEN = 3;
/**
 * Schedules that are paused and changed in turn. If many requests changed a single one at once, some would correctly
 * get a 409.
 */
const CHANGED = 50;
/** The index of the first request: {@link registerChanged} uses the indexes before it. */
export const FIRST = CHANGED;

/** Counts of {@link paced}. */
export interface Sent {
  due: number;
  answered: number;
}

/** The share of the requests that must be answered, so that a lag measured beside them means something. */
export const LEAST_ANSWERED = 0.95;

export function wereAnswered({ due, answered }: Sent): boolean {
  return answered >= LEAST_ANSWERED * due;
}

/** Sends requests at a fixed rate, regardless of the duration of the answers. */
export async function paced(url: string, rate: number, stop: AbortSignal): Promise<Sent> {
  const begun = performance.now();
  const problems: unknown[] = [];
  let [due, answered] = [0, 0];
  while (!stop.aborted) {
    for (; due < (rate * (performance.now() - begun)) / 1_000; due++) {
      request(url, FIRST + due).then(
        () => {
          answered += 1;
        },
        (error) => problems.push(error),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MILLISECONDS));
  }
  if (problems.length > 0) throw problems[0];
  return { due, answered };
}

const READS = [
  '/v1/schedules?pageSize=20',
  '/v1/schedules/asked-0',
  '/v1/firings?pageSize=20',
  '/v1/overview',
  '/v1/schedules/asked-0/next',
];

/** Sends a read or, three times in ten, a request that creates, pauses or changes a schedule. */
export function request(url: string, index: number): Promise<void> {
  if (index % 10 >= WRITES_OF_TEN) return ask(url, index, 'GET');
  return ask(url, index, (['POST', 'PAUSE', 'PATCH'] as const)[index % 3]!);
}

/** Registers the schedules that requests change later. */
export async function registerChanged(url: string): Promise<void> {
  for (let index = 0; index < CHANGED; index++) await ask(url, index, 'POST');
}

async function ask(url: string, index: number, kind: 'GET' | 'POST' | 'PAUSE' | 'PATCH'): Promise<void> {
  // These schedules are due long after the bench, since only the firings of others are measured.
  const spec = { at: '2099-01-01T00:00:00Z' };
  const action = { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none' };
  const changed = `asked-${Math.floor(index / 10) % CHANGED}`;
  const status = await {
    GET: () => statusOf('GET', `${url}${READS[index % READS.length]}`),
    POST: () => statusOf('POST', `${url}/v1/schedules`, { scheduleId: `asked-${index}`, spec, action }),
    PAUSE: () => statusOf('POST', `${url}/v1/schedules/${changed}/pause`, { note: `${index}` }),
    PATCH: () => statusOf('PATCH', `${url}/v1/schedules/${changed}?force=true`, { owner: `${index}` }),
  }[kind]();
  if (status >= 400) throw new Error(`${kind} answered ${status}`);
}

/** Resolves when the whole answer is there. */
function statusOf(method: string, url: string, body?: object): Promise<number> {
  const headers = body && { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = send(url, { method, agent, headers }, (answer) => {
      answer
        .resume()
        .on('end', () => resolve(answer.statusCode!))
        .on('error', reject);
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}
