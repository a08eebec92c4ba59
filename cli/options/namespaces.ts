import { InvalidArgumentError } from 'commander';
import type { NamespaceOptions } from '../../temporal/routes';
import type { Environment } from '../environment';

/** A Temporal namespace, and the profile in Temporal's configuration with the address of its server. */
type NamespaceProfile = [namespace: string, profile: string];

/** Parse one `billing=billing-profile`; the option may be repeated. */
export function parseNamespaceProfile(value: string, previous: NamespaceProfile[] = []): NamespaceProfile[] {
  const pair = pairOf(value);
  if (!pair) throw new InvalidArgumentError("use a form such as 'billing=billing-profile'.");
  return [...previous, pair];
}

/**
 * Parses ESCAPEMENT_NAMESPACE_PROFILES: pairs such as `billing=billing-profile`, separated by commas.
 *
 * @throws {Error} if the list is not valid
 */
export function profilesOf(list: string | undefined): NamespaceProfile[] {
  if (!list?.trim()) return [];
  return list.split(',').map((value) => {
    const pair = pairOf(value.trim());
    if (!pair)
      throw new Error(`ESCAPEMENT_NAMESPACE_PROFILES has '${value}'; use a form such as billing=billing-profile`);
    return pair;
  });
}

/** The connection options of each namespace, from its profile. */
export function namespacesOf(environment: Environment, profiles: NamespaceProfile[]): Record<string, NamespaceOptions> {
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
