import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { type Command, InvalidArgumentError } from 'commander';
import type { NamespaceOptions } from '../../temporal/routes';
import type { Environment } from '../environment';

/** A Temporal namespace, and the profile in Temporal's configuration with the address of its server. */
type NamespaceProfile = [namespace: string, profile: string];

export interface ProfileFlags {
  namespaceProfile?: NamespaceProfile[];
}

export function withProfiles(command: Command): Command {
  return command.option(
    '--namespace-profile <namespace=profile...>',
    "a Temporal namespace on a server of its own, by the name of a profile in Temporal's configuration (default: ESCAPEMENT_NAMESPACE_PROFILES)",
    parseNamespaceProfile,
  );
}

/** How to connect to Temporal: the server of each namespace with a profile, and that of all others. */
export function temporalOf(environment: Environment, { namespaceProfile }: ProfileFlags) {
  const { connectionOptions: connection, namespace } = environment.temporal();
  const profiles = namespaceProfile ?? profilesOf(environment.namespaceProfiles);
  return { connection, namespaces: namespacesOf(environment, profiles), namespace: namespace || undefined };
}

/** Clients of Temporal by namespace. Each connects when it is first used. */
export function temporalClients({
  connection,
  namespaces,
}: Pick<ReturnType<typeof temporalOf>, 'connection' | 'namespaces'>) {
  const connections = new Map<string | undefined, Connection>();
  let last = connection;
  const connect = (name: string | undefined, options: ConnectionOptions) => {
    last = options;
    const known = connections.get(name) ?? Connection.lazy(options);
    connections.set(name, known);
    return new Client({ connection: known });
  };
  return {
    of: (namespace: string) =>
      Object.hasOwn(namespaces, namespace)
        ? connect(namespace, namespaces[namespace]!.connection)
        : connect(undefined, connection),
    /** An error of a call, with how to connect to the server that was asked last, for advice about it. */
    named: (error: unknown) => Object.assign(error as Error, { connectionOptions: last }),
    close: async () => {
      await Promise.all([...connections.values()].map((one) => one.close()));
    },
  };
}

/** Parse one `billing=billing-profile`; the option may be repeated. */
function parseNamespaceProfile(value: string, previous: NamespaceProfile[] = []): NamespaceProfile[] {
  const pair = pairOf(value);
  if (!pair) throw new InvalidArgumentError("use a form such as 'billing=billing-profile'.");
  return [...previous, pair];
}

/**
 * Parses ESCAPEMENT_NAMESPACE_PROFILES: pairs such as `billing=billing-profile`, separated by commas.
 *
 * @throws {Error} if the list is not valid
 */
function profilesOf(list: string | undefined): NamespaceProfile[] {
  if (!list?.trim()) return [];
  return list.split(',').map((value) => {
    const pair = pairOf(value.trim());
    if (!pair)
      throw new Error(`ESCAPEMENT_NAMESPACE_PROFILES has '${value}'; use a form such as billing=billing-profile`);
    return pair;
  });
}

/** The connection options of each namespace, from its profile. */
function namespacesOf(environment: Environment, profiles: NamespaceProfile[]): Record<string, NamespaceOptions> {
  return Object.fromEntries(
    profiles.map(([namespace, profile]) => [
      namespace,
      { connection: environment.temporal(profile).connectionOptions },
    ]),
  );
}

function pairOf(value: string): NamespaceProfile | undefined {
  const [, namespace, profile] = /^([^=]+)=(.+)$/.exec(value) ?? [];
  return namespace && profile ? [namespace, profile] : undefined;
}
