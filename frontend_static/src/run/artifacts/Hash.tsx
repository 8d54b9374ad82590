import { Check, Copy } from "lucide-react";
import { useState } from "react";

/** The start of a hash. Its title is the whole hash, and a click copies it. */
export function Hash({ hash, of }: { hash: string; of: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard?.writeText(hash).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      className="hash mono"
      title={`SHA-256 ${hash}`}
      aria-label={`Copy the hash of ${of}: ${hash.slice(0, 12)}`}
      onClick={copy}
    >
      {hash.slice(0, 12)} <Icon className="icon" aria-hidden />
    </button>
  );
}
