import type { Command } from 'commander';
import type { OidcOptions } from '../server';
import { type ClientOptions, type Environment, postgresOf, withTenant } from './environment';
import { type MetricsFlags, serveMetrics, withMetrics } from './metrics-endpoint';
import { parseCount, parseHttpUrl, parsePort, parseTexts } from './options/arguments';
import { loggerOf, logLevelOption } from './options/log-level';
import { type ProfileFlags, temporalClients, temporalOf, withProfiles } from './options/namespaces';
import { webhooksOf } from './options/webhooks';
import { print, printJson } from './output/output';
import { onStopSignal } from './signals';
import { yieldProcessor } from './yield-processor';

interface ServeFlags extends ClientOptions, MetricsFlags, ProfileFlags {
  port: number;
  host?: string;
  requireToken?: boolean;
  basePath?: string;
  allowHost?: string[];
  oidcIssuer?: string;
  oidcAudience?: string;
  oidcJwksUrl?: string;
  oidcTenantClaim?: string;
  oidcScopeClaim?: string;
  alertWebhook?: string[];
  requestsPerSecond?: number;
  temporalUi?: string;
  logLevel?: string;
  json?: boolean;
}

export function addServeCommand(program: Command, environment: Environment): void {
  withProfiles(withMetrics(withTenant(program.command('serve'))))
    .description('Serve the HTTP API, until SIGTERM or SIGINT.')
    .requiredOption('--port <port>', 'port to listen on; 0 for any free port', parsePort)
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option(
      '--require-token',
      'on loopback too, start only with OIDC, or if the ledger has or had a token: for a proxy on this machine, through which others reach the server',
    )
    .option('--base-path <path>', 'path prefix that an ingress does not remove, such as /escapement (default: none)')
    .option(
      '--allow-host <name>',
      "host name of a proxy on this machine, with its port unless 80 or 443. Its requests need no token until the first token is made; ignored with OIDC; may be repeated (default: only this machine's own names)",
      parseTexts,
    )
    .option(
      '--oidc-issuer <url>',
      'also accept JWTs of this issuer, for --oidc-audience, checked with the keys at --oidc-jwks-url',
    )
    .option('--oidc-audience <audience>', 'audience (aud) that they must have')
    .option('--oidc-jwks-url <url>', 'where the keys of the issuer are')
    .option('--oidc-tenant-claim <claim>', 'the claim with the tenant (default: tenant)')
    .option('--oidc-scope-claim <claim>', 'the claim with the scopes, such as escapement:read (default: scope)')
    .option(
      '--alert-webhook <url>',
      "send an alert there, as 'escapement run --alert-webhook' does, when no trigger is alive; may be repeated (default: none)",
      parseTexts,
    )
    .option('--requests-per-second <number>', 'limit for each token, in this process (default: 100)', parseCount)
    .option('--temporal-ui <url>', "address of Temporal's UI, for links to workflows (default: no links)", parseHttpUrl)
    .addOption(logLevelOption())
    .option('--json', 'print its address as one line of JSON')
    .action(async (options: ServeFlags) => {
      const stop = new AbortController();
      onStopSignal(() => stop.abort());
      yieldProcessor();
      const { namespace, ...servers } = temporalOf(environment, options);
      const temporal = temporalClients(servers);
      const logger = loggerOf(options, environment);
      const tenant = options.tenant ?? environment.tenant;
      try {
        // Loaded only here, so that commands without the HTTP API start faster.
        const { serve } = await import('../server/index.js');
        const oidc = oidcOf(options);
        const server = await serve({
          ...postgresOf(environment, options),
          port: options.port,
          host: options.host,
          requireToken: options.requireToken,
          basePath: options.basePath,
          allowedHosts: options.allowHost,
          temporalUi: options.temporalUi,
          ...(tenant === undefined ? {} : { tenant }),
          ...(oidc && { oidc }),
          alerts: { webhooks: webhooksOf(options.alertWebhook, environment) },
          requestsPerSecond: options.requestsPerSecond,
          namespace,
          identity: environment.identity,
          temporal: temporal.of,
          logger,
        });
        const endpoint = await serveMetrics(options, environment, {
          registry: server.metrics,
          health: () => server.health(),
        }).catch(async (error) => {
          await server.close();
          throw error;
        });
        if (endpoint) logger.info('metrics are served', { url: endpoint.url });
        if (options.json) printJson({ url: server.url });
        else print(`The dashboard is at ${server.url}/, and ${server.url}/docs describes the HTTP API.`);
        if (!options.json && !server.asksWho) {
          print(
            "The server listens only on loopback. Until the ledger has a token, everybody who can reach it has all rights. Make one: 'escapement token create'.",
          );
        }
        await aborted(stop.signal);
        await endpoint?.close();
        await server.close();
      } finally {
        await temporal.close();
      }
    });
}

function oidcOf(flags: ServeFlags): OidcOptions | undefined {
  const { oidcIssuer: issuer, oidcAudience: audience, oidcJwksUrl: jwksUrl } = flags;
  const { oidcTenantClaim: tenantClaim, oidcScopeClaim: scopeClaim } = flags;
  if ([issuer, audience, jwksUrl, tenantClaim, scopeClaim].every((flag) => flag === undefined)) return undefined;
  if (issuer === undefined || audience === undefined || jwksUrl === undefined) {
    throw new Error('give --oidc-issuer, --oidc-audience and --oidc-jwks-url together');
  }
  return { issuer, audience, jwksUrl, tenantClaim, scopeClaim };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
