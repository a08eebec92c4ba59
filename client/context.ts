import { hostname, userInfo } from 'node:os';
import type { Client, ScheduleClientInterceptor } from '@temporalio/client';
import { DEFAULTS } from '../core/defaults';
import type { DefinitionPart } from '../core/definition/legible';
import { InvalidScheduleError, UnknownTimeZoneError } from '../core/errors';
import { type CompiledSpec, compileSpec, withinSteps } from '../core/occurrences';
import type { ScheduleSpec } from '../core/schedule/spec';
import { type OpenStore, openStore, type Store } from '../store/connection';
import { checkSchema } from '../store/meta';
import type { EscapementClientOptions } from './client-options';
import { ScheduleCodec } from './payloads';

export interface ClientContext {
  store: Store & Pick<OpenStore, 'close'>;
  /** Temporal namespace for schedules that name none. */
  namespace: string;
  codec: ScheduleCodec;
  identity: string;
  /** The only tenant that this client may read and write; undefined for all tenants. */
  tenant: string | undefined;
  now: (() => Date) | undefined;
  /** The Temporal client of a namespace, if one was given. */
  temporal(namespace: string): Client | undefined;
  interceptors: ScheduleClientInterceptor[];
  /**
   * Check that the ledger's schema fits this program. Once the check has passed, later calls do nothing.
   * @param store whose connection the check uses. @default the client's own
   */
  ready(store?: Store): Promise<void>;
}

export function clientContext(options: EscapementClientOptions): ClientContext {
  const store = openStore(options);
  const { interceptors = [], temporal } = options;
  let fits = false;
  return {
    store,
    namespace: options.namespace ?? DEFAULTS.namespace,
    codec: new ScheduleCodec(options.dataConverter),
    identity: identityOf(options.identity),
    tenant: options.tenant,
    now: options.now,
    temporal: typeof temporal === 'function' ? temporal : () => temporal,
    interceptors: [Array.isArray(interceptors) ? interceptors : (interceptors.schedule ?? [])].flat(),
    ready: async (on = store) => {
      if (!fits) await checkSchema(on);
      fits = true;
    },
  };
}

export function identityOf(given: string | undefined): string {
  return given ?? `${userName()}@${hostname()}`;
}

/** The name of the operating system's user. In a container, a user may have no name, only an ID. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/**
 * The compiled form of a schedule's stored spec; undefined if the spec is damaged, or if it can no longer be evaluated,
 * such as after a change of the time zone data.
 */
export function compileStored(stored: Stored): CompiledSpec | undefined {
  return unlessInvalid(() => compileUndamaged(stored));
}

/** As {@link compileStored}. @throws {InvalidScheduleError} if there is no compiled form, with the reason */
export function compiledOrRefused(stored: Stored & { specError: string | null }): CompiledSpec {
  try {
    return withinSteps('spec', () => compileUndamaged(stored));
  } catch (error) {
    const problem = stored.specError ?? (error as Error).message;
    const Refusal = error instanceof UnknownTimeZoneError ? UnknownTimeZoneError : InvalidScheduleError;
    throw new Refusal('spec', `cannot be evaluated (${problem}); update it first`);
  }
}

interface Stored {
  scheduleId: string;
  definition: { spec: ScheduleSpec };
  damaged?: readonly DefinitionPart[];
}

function compileUndamaged({ scheduleId, definition, damaged = [] }: Stored): CompiledSpec {
  if (damaged.includes('spec')) throw new Error('the stored spec of the schedule is not an object');
  return compileSpec(definition.spec, { scheduleId });
}

/**
 * The result of evaluating what is stored; undefined if it cannot be evaluated or takes too long, for whatever reason:
 * stored data may be damaged in unexpected ways.
 */
export function unlessInvalid<Result>(evaluate: () => Result): Result | undefined {
  try {
    return withinSteps('spec', evaluate);
  } catch {
    return undefined;
  }
}
