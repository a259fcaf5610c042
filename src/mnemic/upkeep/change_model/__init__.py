"""The change model: small networks that tell whether a newer sentence ends or replaces what an older one says."""
