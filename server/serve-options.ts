import type { DataConverter, Logger } from '@temporalio/common';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { ALERT_FIELDS, type AlertOptions } from '../alerts/webhooks';
import type { TemporalClients } from '../client/client-options';
import { namespace } from '../core/definition/shape';
import { callback, flag, name, tenantOrAll, thing, thingOrCallback } from '../core/option-fields';
import type { FieldsOf } from '../core/options';
import type { PostgresOptions } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import type { OidcOptions } from './access/oidc';

/** The options of `serve`. */
export interface ServeOptions extends PostgresOptions {
  /** The port; 0 for any free port. */
  port: number;
  /**
   * The address on which the server listens; `localhost` for `127.0.0.1`. An address that others can reach requires
   * tokens or `oidc`. @default '127.0.0.1'
   */
  host?: string | undefined;
  /**
   * On loopback too, start only with `oidc`, or if Postgres answers and the ledger has or had a token. For a proxy on
   * this machine, since through it others reach the server. @default false
   */
  requireToken?: boolean | undefined;
  /** Path prefix that an ingress does not remove, such as `/escapement`. @default none */
  basePath?: string | undefined;
  /**
   * Names under which a proxy on this machine passes requests on, such as `cron.example`, or `cron.example:8000` if its
   * pages have another port than 80 or 443. As long as the ledger never had a token, and without `oidc`, only these
   * names and this machine's own are accepted. @default none
   */
  allowedHosts?: string[] | undefined;
  /** The one tenant to serve; an explicit undefined is refused. @default all tenants */
  tenant?: string;
  /** Temporal namespace for schedules that name none. @default 'default' */
  namespace?: string | undefined;
  /** Actor for the changes of callers without a name. @default 'api' */
  identity?: string | undefined;
  /**
   * Issuer whose JWTs are accepted, in addition to tokens of `escapement token create`. An explicit undefined is refused.
   * @default none
   */
  oidc?: OidcOptions;
  /** Webhooks that are notified if no trigger is alive, which no trigger can report. @default none */
  alerts?: AlertOptions | undefined;
  /**
   * Maximum number of requests per second of one token or JWT subject, in this process; twice as many in a burst.
   * @default 100
   */
  requestsPerSecond?: number | undefined;
  /**
   * Encodes arguments that arrive as plain JSON, so that the workers can decode them. @default Temporal's JSON
   * converter
   */
  dataConverter?: DataConverter | undefined;
  /**
   * A Temporal client, or a function that returns that of a namespace. It finds the steps that a redrive would run
   * again. @default none: the trigger checks
   */
  temporal?: TemporalClients | undefined;
  /** Address of Temporal's UI, such as `http://127.0.0.1:8233`, for links to workflows. @default none: no links */
  temporalUi?: string | undefined;
  /** Registry of `prom-client` for the server's metrics. @default a registry of its own, `server.metrics` */
  metrics?: Registry | undefined;
  /** Receives what the server logs, such as errors of requests. @default no logger */
  logger?: Logger | undefined;
  /** The current time, for tests with their own clock. @default the database's clock */
  now?: (() => Date) | undefined;
}

const LAST_PORT = 65_535;

function isHostAndPort(given: string): boolean {
  return z.hostname().safeParse(given.replace(/:\d+$/, '')).success && URL.canParse(`http://${given}`);
}

export const serveOptions = z.strictObject({
  ...POSTGRES_FIELDS,
  port: z.int().min(0).max(LAST_PORT),
  host: name.optional(),
  requireToken: flag.optional(),
  basePath: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*\/?$/, { error: 'is not a path such as /escapement' })
    .optional(),
  allowedHosts: z
    .array(
      z
        .string()
        .refine(isHostAndPort, { error: 'is not the name of a host, such as cron.example or cron.example:8000' }),
    )
    .optional(),
  tenant: tenantOrAll,
  namespace: namespace.optional(),
  identity: name.optional(),
  oidc: z
    .strictObject({
      issuer: name,
      audience: name,
      jwksUrl: z.string().refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), {
        error: 'is no URL of http or https',
      }),
      tenantClaim: name.optional(),
      scopeClaim: name.optional(),
    } satisfies FieldsOf<OidcOptions>)
    // Without tokens and issuer, everybody who can reach the server may do all.
    .exactOptional(),
  alerts: ALERT_FIELDS.optional(),
  requestsPerSecond: z.number().positive().optional(),
  dataConverter: thing.optional(),
  temporal: thingOrCallback.optional(),
  temporalUi: z.url({ protocol: /^https?$/, error: 'is not an address such as http://127.0.0.1:8233' }).optional(),
  metrics: thing.optional(),
  logger: thing.optional(),
  now: callback.optional(),
} satisfies FieldsOf<ServeOptions>);
