import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate with its key, both as PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** A certificate authority, which signs certificates of servers and clients. */
export interface Authority {
  /** The authority's certificate as PEM, for `sslrootcert` and the like. */
  ca: string;
  /** A certificate of a server with these host names and addresses. */
  server(...names: string[]): Certificate;
  /** A certificate of a client, which Postgres maps to the role of this name. */
  client(name: string): Certificate;
}

/** Create a certificate authority with a new key pair. */
export function certificateAuthority(name = 'Escapement test'): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issue = (subject: string, publicKey: KeyObject, extensions: Buffer[]): string => {
    const signed = sequence(
      explicit(0, integer(Buffer.from([2]))),
      integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
      ECDSA_WITH_SHA256,
      nameOf(name),
      sequence(time(Date.now() - DAY_MILLISECONDS), time(Date.now() + DAY_MILLISECONDS)),
      nameOf(subject),
      publicKey.export({ type: 'spki', format: 'der' }),
      explicit(3, sequence(...extensions)),
    );
    const signature = sign('sha256', signed, keys.privateKey);
    return pem('CERTIFICATE', sequence(signed, ECDSA_WITH_SHA256, bits(signature)));
  };
  const certify = (subject: string, extensions: Buffer[] = []): Certificate => {
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = own.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return { cert: issue(subject, own.publicKey, [extension(BASIC_CONSTRAINTS, sequence()), ...extensions]), key };
  };
  return {
    ca: issue(name, keys.publicKey, [extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.from([0xff]))))]),
    server: (...names) => certify(names[0]!, [extension(ALTERNATIVE_NAMES, sequence(...names.map(alternative)))]),
    client: (role) => certify(role),
  };
}

const DAY_MILLISECONDS = 86_400_000;
const ECDSA_WITH_SHA256 = sequence(identifier('2a8648ce3d040302'));
const COMMON_NAME = identifier('550403');
const BASIC_CONSTRAINTS = identifier('551d13');
const ALTERNATIVE_NAMES = identifier('551d11');

/** @see https://www.rfc-editor.org/rfc/rfc5280, in the encoding of X.690 */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

function sequence(...content: Buffer[]): Buffer {
  return der(0x30, ...content);
}

function explicit(number: number, content: Buffer): Buffer {
  return der(0xa0 + number, content);
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

function identifier(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function bits(content: Buffer): Buffer {
  return der(0x03, Buffer.from([0]), content);
}

function time(instant: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(instant).toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`));
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(commonName)))));
}

function extension(id: Buffer, value: Buffer): Buffer {
  return sequence(id, der(0x04, value));
}

function alternative(host: string): Buffer {
  return isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g)!;
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
