import { describe, expect, it } from 'vitest';
import { type TlsProblem, tlsProblemOf } from '../../core/tls-problem';

const OPENSSL = 'C0DCF6F7FF7F0000:error:0A000410:SSL routines:ssl3_read_bytes';

describe('the problem in the text of a TLS error', () => {
  it.each<[TlsProblem, string]>([
    ['client certificate', `${OPENSSL}:tlsv13 alert certificate required:ssl/record/rec_layer_s3.c:1605`],
    ['client certificate', `${OPENSSL}:sslv3 alert bad certificate:ssl/record/rec_layer_s3.c:1605`],
    ['client certificate', `${OPENSSL}:tlsv1 alert unknown ca:ssl/record/rec_layer_s3.c:1605`],
    ['client certificate', `${OPENSSL}:sslv3 alert handshake failure:ssl/record/rec_layer_s3.c:1605`],
    ['client certificate', `${OPENSSL}:sslv3 alert certificate unknown:ssl/record/rec_layer_s3.c:1605`],
    ['authority', 'DEPTH_ZERO_SELF_SIGNED_CERT self-signed certificate'],
    ['authority', 'DEPTH_ZERO_SELF_SIGNED_CERT self signed certificate'],
    ['authority', 'SELF_SIGNED_CERT_IN_CHAIN self-signed certificate in certificate chain'],
    ['authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE unable to verify the first certificate'],
    ['authority', 'UNABLE_TO_GET_ISSUER_CERT unable to get issuer certificate'],
    ['authority', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY unable to get local issuer certificate'],
    ['name', 'ERR_TLS_CERT_ALTNAME_INVALID undefined'],
    ['name', "Hostname/IP does not match certificate's altnames: Host: db. is not in the cert's altnames"],
    ['expired', 'undefined certificate has expired'],
    ['expired', 'CERT_HAS_EXPIRED undefined'],
    ['no TLS there', 'error:0A00010B:SSL routines:ssl3_get_record:wrong version number'],
    ['no TLS there', 'error:0A0000C6:SSL routines:tls_get_more_records:packet length too long'],
    ['no TLS there', 'undefined The server does not support SSL connections'],
  ])('is %s: %s', (problem, text) => {
    expect(tlsProblemOf(text)).toBe(problem);
  });

  it.each([
    ['an outage', 'ECONNREFUSED connect ECONNREFUSED 127.0.0.1:5432'],
    ['a refused password', '28P01 password authentication failed for user "app"'],
    ['a certificate that is only mentioned', 'the certificate was read from client.pem'],
    ['the end of a connection', 'read ECONNRESET'],
    ['a warning of no other side', 'certificate required'],
    ['no text', ''],
  ])('is none for %s', (_, text) => {
    expect(tlsProblemOf(text)).toBeUndefined();
  });

  it('is what the other side says of our certificate, if the text also names its own', () => {
    expect(tlsProblemOf('self-signed certificate; tlsv1 alert unknown ca')).toBe('client certificate');
  });
});
