export type TlsProblem = 'authority' | 'name' | 'expired' | 'client certificate' | 'no TLS there';

/**
 * The wordings of TLS errors by Node, OpenSSL and `pg`. In these wordings, an "alert" was sent by the other side of
 * the connection.
 */
const WORDINGS: readonly [TlsProblem, RegExp][] = [
  [
    'client certificate',
    /alert (certificate required|bad certificate|unknown ca|handshake failure|certificate unknown)/,
  ],
  ['authority', /self[- ]signed certificate|unable to (verify the first|get( local)? issuer) certificate/],
  ['name', /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/],
  ['expired', /certificate has expired|CERT_HAS_EXPIRED/],
  ['no TLS there', /wrong version number|packet length too long|does not support SSL connections/],
];

export function tlsProblemOf(text: string): TlsProblem | undefined {
  return WORDINGS.find(([, wording]) => wording.test(text))?.[0];
}
