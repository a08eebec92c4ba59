import type { TemporalPort } from '../../temporal/port';
import { oneServer, Temporal } from '../../temporal/temporal';
import { TemporalDouble } from '../../testing';
import { Trigger } from '../../trigger';
import type { Clock } from '../../trigger/clock';
import type { TriggerContext } from '../../trigger/context';
import { urlFor } from './least-privilege';
import type { TestLedger } from './ledger';

export type Answers = Partial<Omit<TemporalPort, 'close'>>;

/** The kit's double, except that a test gives these of its answers. */
export function answering(double: TemporalPort, answers: Answers): TemporalPort {
  return new Proxy(double, {
    get: (target, name) => Reflect.get(answers, name) ?? Reflect.get(target, name).bind(target),
  });
}

/** Temporal as the passes of a trigger see it, where a test gives some of the answers. */
export function temporalAnswering(clock: Clock, answers: Answers): Temporal {
  const listener = { onAway: () => {}, onBack: () => {}, onForgotten: () => {}, onCall: () => {} };
  return new Temporal(oneServer(answering(new TemporalDouble(clock), answers)), () => clock.now(), listener);
}

/** A trigger of the kit's double, where a test gives some of the answers. */
export async function triggerAnswering(
  ledger: Pick<TestLedger, 'databaseUrl' | 'clock' | 'log' | 'beforeClose'>,
  answers: Answers = {},
  { namespaces, double, ...options }: Answering = {},
) {
  const { databaseUrl, clock, log: logger } = ledger;
  const played = double ?? new TemporalDouble(clock, { namespaces: namespaces ?? ['default'] });
  const reached = options.pool ? {} : { connectionString: urlFor(databaseUrl, 'trigger') };
  const trigger = await Trigger.createOn({ ...reached, clock, logger, ...options }, async () =>
    oneServer(answering(played, answers)),
  );
  ledger.beforeClose(() => trigger.close());
  const context: TriggerContext = Reflect.get(trigger, 'context');
  return { trigger, passes: trigger.passes, context, double: played };
}

export interface Answering extends Partial<Parameters<typeof Trigger.createOn>[0]> {
  namespaces?: string[];
  /** One that another trigger has as well. */
  double?: TemporalDouble;
}

/** An error as the client of Temporal throws it. */
export function grpcError(code: number, details: string): Error {
  return Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });
}
