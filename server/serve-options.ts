import type { Client } from '@temporalio/client';
import type { DataConverter, Logger } from '@temporalio/common';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import { ALERT_FIELDS, type AlertOptions } from '../alerts/webhooks';
import { namespace } from '../core/definition/shape';
import { callback, name, tenant, thing } from '../core/option-fields';
import type { FieldsOf } from '../core/options';
import type { PostgresOptions } from '../store/connection';
import { POSTGRES_FIELDS } from '../store/postgres-options';
import type { OidcOptions } from './access/oidc';

/** What is served, and where. */
export interface ServeOptions extends PostgresOptions {
  /** 0 for any free one. */
  port: number;
  /** Address to listen on; one that others reach needs tokens or `oidc`. @default '127.0.0.1' */
  host?: string | undefined;
  /** What an ingress leaves before the paths, such as `/escapement`. @default none */
  basePath?: string | undefined;
  /** The one tenant that is served. @default all */
  tenant?: string | undefined;
  /** Temporal namespace of schedules that name none. @default 'default' */
  namespace?: string | undefined;
  /** Who makes the changes of callers that have no name. @default 'api' */
  identity?: string | undefined;
  /** Whose JWTs are taken, besides tokens of `escapement token create`. @default nobody's */
  oidc?: OidcOptions | undefined;
  /** Where to send that no trigger is alive, which no trigger can tell. @default nowhere */
  alerts?: AlertOptions | undefined;
  /** How many requests of one token go a second, in this process; twice as many in a burst. @default 100 */
  requestsPerSecond?: number | undefined;
  /** Encodes arguments that come as plain JSON, as the workers decode them. @default Temporal's JSON converter */
  dataConverter?: DataConverter | undefined;
  /** Used only to look up what a redrive would run again. @default none: the trigger asks */
  temporal?: Client | undefined;
  /** Address of Temporal's UI, such as `http://127.0.0.1:8233`, for links to workflows. @default none: no links */
  temporalUi?: string | undefined;
  /** Where its metrics are registered, of the package `prom-client`. @default a registry of its own, `server.metrics` */
  metrics?: Registry | undefined;
  /** Told of requests that failed. @default nobody */
  logger?: Logger | undefined;
  /** The instant of a change, for tests on a clock of their own. @default the database's clock */
  now?: (() => Date) | undefined;
}

const LAST_PORT = 65_535;

/** What `serve` takes. */
export const serveOptions = z.strictObject({
  ...POSTGRES_FIELDS,
  port: z.int().min(0).max(LAST_PORT),
  host: name.optional(),
  basePath: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*\/?$/, { error: 'is not a path such as /escapement' })
    .optional(),
  tenant: tenant.optional(),
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
    .optional(),
  alerts: ALERT_FIELDS.optional(),
  requestsPerSecond: z.number().positive().optional(),
  dataConverter: thing.optional(),
  temporal: thing.optional(),
  temporalUi: z.url({ protocol: /^https?$/, error: 'is not an address such as http://127.0.0.1:8233' }).optional(),
  metrics: thing.optional(),
  logger: thing.optional(),
  now: callback.optional(),
} satisfies FieldsOf<ServeOptions>);
