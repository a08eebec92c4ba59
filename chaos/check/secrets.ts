import type { Facts, Violation } from './facts';

/** Checks that no process has written a secret to its log. */
export function checkSecrets({ secrets, logs }: Facts): Violation[] {
  return logs.flatMap(({ member, text }) =>
    text
      .split('\n')
      .filter((line) => secrets.some((secret) => line.includes(secret)))
      .map((line): Violation => ({ kind: 'secret logged', text: `${member}: ${withoutSecrets(line, secrets)}` })),
  );
}

function withoutSecrets(line: string, secrets: string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '<secret>'), line);
}
